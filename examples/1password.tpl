# For 1password.jsonc: references, no secrets.
GITHUB_PERSONAL_ACCESS_TOKEN="{{ op://Private/GitHub/token }}"
