/** The same promise. If nobody waits for it any more when it fails, as after the end of a test, that is no error of its own. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
