/** Groups that identity providers push by SCIM, in the database: who owns them. They are rows of `group`, as all groups. */
import type { Group } from "../../groups/group.js";
import { permanentGroupIdsOf } from "../../groups/membership-store.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { rowsOf } from "../../platform/database/table.js";
import { foldedName } from "../../users/federated/provisioned-user-store.js";

export interface ProvisionedGroup {
  readonly groupId: string;
  readonly idpId: string;
  readonly externalId: string | null;
  /** Greater after each change, also of the members. */
  readonly version: number;
  readonly createdAt: Moment;
  readonly updatedAt: Moment;
}

/** With the group's name. */
export interface NamedProvisionedGroup extends ProvisionedGroup, Pick<Group, "name"> {}

const { toItem, toRow } = rowsOf<ProvisionedGroup>()({
  groupId: "group_id",
  idpId: "idp_id",
  externalId: "external_id",
  version: "version",
  createdAt: "created_at",
  updatedAt: "updated_at",
});

type ProvisionedGroupRow = ReturnType<typeof toRow> & { name_key: string };

interface Tables {
  readonly provisioned_group: ProvisionedGroupRow;
  readonly group: { id: string; name: string };
}

export interface ProvisionedGroupMatch {
  readonly column: "group_id" | "name_key" | "external_id" | "member";
  readonly value: string;
}

export interface ProvisionedGroupQuery {
  readonly matches?: readonly ProvisionedGroupMatch[];
  readonly limit: number;
  readonly offset?: number;
  /** Groups behind this id. */
  readonly after?: string;
}

/** Groups of a provider, in the order of their ids. */
export async function listProvisionedGroups(
  queries: Queries,
  idpId: string,
  { matches = [], limit, offset, after }: ProvisionedGroupQuery,
): Promise<NamedProvisionedGroup[]> {
  let rows = queries
    .tables<Tables>()
    .selectFrom("provisioned_group")
    .innerJoin("group", "group.id", "provisioned_group.group_id")
    .selectAll("provisioned_group")
    .select("group.name")
    .where("provisioned_group.idp_id", "=", idpId)
    .orderBy("provisioned_group.group_id")
    .limit(limit);
  for (const { column, value } of matches)
    rows =
      column === "member"
        ? rows.where("provisioned_group.group_id", "in", permanentGroupIdsOf(value))
        : rows.where(`provisioned_group.${column}`, "=", value);
  if (after !== undefined) rows = rows.where("provisioned_group.group_id", ">", after);
  if (offset !== undefined) rows = rows.offset(offset);
  return (await rows.execute()).map((row) => Object.assign(toItem(row), { name: row.name }));
}

export async function countProvisionedGroups(queries: Queries, idpId: string): Promise<number> {
  const { count } = await queries
    .tables<Tables>()
    .selectFrom("provisioned_group")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .where("idp_id", "=", idpId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The id of another group of a provider that has a value. */
export async function otherGroupWith(
  queries: Queries,
  { idpId, groupId }: Pick<ProvisionedGroup, "idpId" | "groupId">,
  { column, value }: { readonly column: "name_key" | "external_id"; readonly value: string },
): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("provisioned_group")
    .select("group_id")
    .where("idp_id", "=", idpId)
    .where(column, "=", value)
    .where("group_id", "<>", groupId)
    .executeTakeFirst();
  return row?.group_id;
}

export async function insertProvisionedGroup(
  queries: Queries,
  { name, ...group }: NamedProvisionedGroup,
): Promise<void> {
  const row = { ...toRow(group), name_key: foldedName(name) };
  await queries.tables<Tables>().insertInto("provisioned_group").values(row).execute();
}

export async function updateProvisionedGroup(
  queries: Queries,
  { name, ...group }: NamedProvisionedGroup,
): Promise<void> {
  const row = { ...toRow(group), name_key: foldedName(name) };
  await queries
    .tables<Tables>()
    .updateTable("provisioned_group")
    .set(row)
    .where("group_id", "=", group.groupId)
    .execute();
}
