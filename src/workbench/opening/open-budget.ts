import { builtInSettings, clientBudgets } from '../../limits.js';
import type { Budget } from '../listing/listed-tool.js';

/** How long an answer of `open_toolbox` may be: as configured, otherwise as much as the client shows. */
export function openBudget(configured: number | undefined, client: string | undefined): Budget {
  if (configured !== undefined) return { budgetChars: configured };
  if (client !== undefined && isKnown(client)) return { ...clientBudgets[client], byClient: true };
  return { budgetChars: builtInSettings.openBudgetChars };
}

function isKnown(client: string): client is keyof typeof clientBudgets {
  return Object.hasOwn(clientBudgets, client);
}
