import { answerDeliveryMs, maxAnswersInFlight, maxAnswersWaiting } from '../../limits.js';

/** A message that has no response: an answer to a request of the server, or a notification. */
export interface Answer {
  deliver(): Promise<void>;
  /** It takes too long. */
  giveUp(): void;
}

/** Sends answers a few at a time: a server can ask faster than it takes the answers, and each needs a connection. */
export interface Answers {
  send(answer: Answer): void;
}

/** `dropped`: too many wait already. */
export function createAnswers(dropped: () => void): Answers {
  const waiting: Answer[] = [];
  let inFlight = 0;

  async function start(answer: Answer): Promise<void> {
    inFlight++;
    const timer = setTimeout(() => answer.giveUp(), answerDeliveryMs).unref();
    await answer.deliver();
    clearTimeout(timer);
    inFlight--;
    const next = waiting.shift();
    if (next !== undefined) void start(next);
  }

  return {
    send(answer) {
      if (inFlight < maxAnswersInFlight) void start(answer);
      else if (waiting.length < maxAnswersWaiting) waiting.push(answer);
      else dropped();
    },
  };
}
