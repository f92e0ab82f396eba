import type { Overview } from '../../../config/overview.js';
import { introductionOf, type StaticAnswers } from '../../../session/introduction/static-answers.js';

const known = new WeakMap<Overview, StaticAnswers>();

/** The static answers of a configuration, made once for all sessions. Their tools name the headers that repeat arguments. */
export function answersOverHttp(overview: Overview): StaticAnswers {
  const answers = known.get(overview) ?? introductionOf(overview, { marksHeaders: true });
  known.set(overview, answers);
  return answers;
}
