/**
 * Goes on with a value: at once if it is there, as with most requests. A promise, and each `await` of it, is garbage and another step of
 * the queue.
 *
 * @returns What `step` returns. @throws What `step` throws, if the value is there; otherwise the promise rejects.
 */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  step: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(step) : step(value);
}
