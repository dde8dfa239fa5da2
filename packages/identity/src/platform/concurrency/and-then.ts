/**
 * Goes on with a value: at once if it is there, as with most requests. A promise, and each `await` of it, is garbage and another step of
 * the queue.
 *
 * @returns What `next` returns. @throws What `next` throws, if the value is there; otherwise the promise rejects.
 */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
