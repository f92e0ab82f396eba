// Runs before `npm publish` of this folder, which would publish the development package.json. A release publishes the tested tarball.
console.error('Publish the tarball, not the folder: see CONTRIBUTING.md.');
process.exitCode = 1;
