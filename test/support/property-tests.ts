import fc from 'fast-check';

// A setup file of all tests. On a busy machine a property is tested with fewer examples instead of timing out;
// a property without a single tested example fails.
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(20_000));
