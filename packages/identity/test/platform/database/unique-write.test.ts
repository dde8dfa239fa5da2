import { describe, expect, it } from "vitest";

import { UniqueViolation } from "../../../src/platform/database/database-errors.js";
import { orConflict } from "../../../src/platform/database/table.js";
import { ConflictError } from "../../../src/platform/errors.js";

const violation = new UniqueViolation({ table: "roles", columns: ["name"] });
const violated = (): Promise<never> => Promise.reject(violation);

describe("a write that violates a unique constraint", () => {
  it("fails with the error that names the resource, and the violation as its cause for the log", async () => {
    const failure: unknown = await orConflict(violated, () => new ConflictError("role admin")).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ConflictError);
    expect(failure).toMatchObject({ message: "role admin", cause: violation });
  });

  it("fails with the violation without such an error", async () => {
    await expect(orConflict(violated)).rejects.toBe(violation);
  });

  it("fails as before for other reasons", async () => {
    const failure = new TypeError("broken");
    await expect(
      orConflict(
        () => Promise.reject(failure),
        () => new ConflictError("role admin"),
      ),
    ).rejects.toBe(failure);
  });
});
