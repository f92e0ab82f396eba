import fc from 'fast-check';

// A setup file of all tests. On a busy machine a property is tried on fewer examples, instead of failing for lack of time;
// a property for which not even one example was tried in that time fails.
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(20_000));
