// The scripts know nothing about commands: they ask the program, so they stay right when it is updated. Without candidates
// the shells complete file names.

const bash = `# mcp-workbench completion for bash: eval "$(mcp-workbench completion bash)"
_mcp_workbench() {
  local found
  COMPREPLY=()
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(
    "\${COMP_WORDS[0]}" completion bash --candidates -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -o default -o bashdefault -F _mcp_workbench mcp-workbench`;

const zsh = `#compdef mcp-workbench
# mcp-workbench completion for zsh: eval "$(mcp-workbench completion zsh)"
_mcp_workbench() {
  local -a found typed
  typed=("\${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || typed=()
  found=("\${(@f)$("\${words[1]}" completion zsh --candidates -- "\${typed[@]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then
    compadd -- "\${found[@]}"
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _mcp_workbench ]]; then
  _mcp_workbench
else
  compdef _mcp_workbench mcp-workbench
fi`;

const fish = `# mcp-workbench completion for fish: mcp-workbench completion fish | source
function __mcp_workbench
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l typed (commandline -ct)
  set -l found (command $program completion fish --candidates -- $words "$typed" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$typed"
  end
end
complete -c mcp-workbench -f -a '(__mcp_workbench)'`;

export const scripts = { bash, zsh, fish } as const;
