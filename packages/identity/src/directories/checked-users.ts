/** What a directory said of users, for the time until it is asked again. In memory, per process. */
import type { Moment } from "../platform/clock.js";
import type { User } from "../users/user-store.js";

/** A user as a directory described it. */
export interface CheckedUser {
  readonly user: User;
  /** When the directory was asked for the user, and for its groups. */
  readonly at: Moment;
  readonly groupsAt: Moment;
}

export type CheckedUsers = ReturnType<typeof createCheckedUsers>;

/** Users in memory, of less than a kilobyte each. */
const MAX_USERS = 20_000;

export function createCheckedUsers() {
  const users = new Map<string, CheckedUser>();
  return {
    get: (id: string): CheckedUser | undefined => users.get(id),
    set(checked: CheckedUser): void {
      const { id } = checked.user;
      users.delete(id);
      users.set(id, checked);
      const [oldest] = users.keys();
      if (users.size > MAX_USERS && oldest !== undefined) users.delete(oldest);
    },
    delete: (id: string): void => void users.delete(id),
  };
}
