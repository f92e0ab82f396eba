import fc from 'fast-check';

// A setup file of the unit tests, which answer within a minute: `npm test` tests each property with more examples.
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(2_000));
