/** The same promise. A rejection after the end of a test is not reported as unhandled. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
