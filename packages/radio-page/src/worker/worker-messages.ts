/** What the page and its workers send each other. */
export interface WorkerRequest {
  readonly id: number;
  /** Of the function to call. */
  readonly name: string;
  readonly args: readonly unknown[];
}

export type WorkerResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };
