// Runs before `npm publish` of this folder, which would publish the package.json of development. A release publishes the tarball that was tested.
console.error('Publish the tarball, not the folder: CONTRIBUTING.md says how.');
process.exitCode = 1;
