// The limits of selecting from results. Nothing is imported here.

/** Of an expression; one that a model writes has a few hundred. */
export const maxExpressionChars = 4_000;
/** Levels of an expression, and of a value that it makes: code that walks them is recursive. */
export const maxExpressionLevels = 200;
/** Nodes visited, items copied and comparisons of one evaluation: a tenth of a second. */
export const maxSelectSteps = 500_000;
/** Text that one evaluation makes, such as by `join`: it could double with every ten characters of the expression. */
export const maxMadeChars = 16_000_000;
