import { ACL } from "@purse/client";
import { type AccessGrant, buildAcl, parseAcl, type Translator } from "@purse/ui";

/** The grants of an ACL; undefined if there is none, which means public access. */
export function grantsOf(acl: ACL | undefined | null): AccessGrant[] | undefined {
  return acl ? parseAcl(acl.toJSON()) : undefined;
}

export function aclOf(grants: readonly AccessGrant[]): ACL {
  return ACL.fromJSON(buildAcl(grants));
}

/** Whether a user can write a record by its grants. Roles are assumed to match. */
export function canWrite(grants: readonly AccessGrant[] | undefined, userId: string | undefined): boolean {
  if (!grants) return true;
  return grants.some(({ who, write }) => write && (who === "*" || who === userId || who.startsWith("role:")));
}

/**
 * Whether a record was shared with a user by name or role: they can read it, it is not public, and others can
 * write it.
 */
export function isSharedWith(
  grants: readonly AccessGrant[] | undefined,
  userId: string | undefined,
): boolean {
  if (!grants || userId === undefined) return false;
  const isPublic = grants.some(({ who, read }) => read && who === "*");
  const isNamed = grants.some(({ who, read }) => read && (who === userId || who.startsWith("role:")));
  const others = grants.some(({ who, write }) => write && who !== userId && who !== "*");
  return isNamed && !isPublic && others;
}

/** Describes the access in words: "Public read, private write". */
export function describeAccess(
  grants: readonly AccessGrant[] | undefined,
  userId: string | undefined,
  texts: Pick<Translator, "t">,
): string {
  const { t } = texts;
  if (!grants) return t("Public read and write");
  const readers = grants.filter(({ read }) => read).map(({ who }) => who);
  const writers = grants.filter(({ write }) => write).map(({ who }) => who);
  if (readers.length === 0 && writers.length === 0) return t("Operators only");
  const who = (list: readonly string[]) => describeSubjects(list, userId, texts);
  if (isSameSet(readers, writers)) {
    if (isOnly(readers, userId)) return t("Private");
    return readers.includes("*")
      ? t("Public read and write")
      : t("Read and write: {who}", { who: who(readers) });
  }
  const readText = isOnly(readers, userId)
    ? t("Private read")
    : readers.includes("*")
      ? t("Public read")
      : t("Read: {who}", { who: who(readers) });
  const writeText = isOnly(writers, userId)
    ? t("private write")
    : writers.includes("*")
      ? t("public write")
      : t("write: {who}", { who: who(writers) });
  return `${readText}, ${writeText}`;
}

function describeSubjects(
  list: readonly string[],
  userId: string | undefined,
  { t }: Pick<Translator, "t">,
): string {
  if (list.length === 0) return t("nobody");
  const roles = list.filter((each) => each.startsWith("role:")).map((each) => each.slice("role:".length));
  const others = list.filter((each) => !each.startsWith("role:") && each !== userId).length;
  return [
    ...(userId !== undefined && list.includes(userId) ? [t("you")] : []),
    ...roles,
    ...(others > 0 ? [t("{n, plural, one {# user} other {# users}}", { n: others })] : []),
  ].join(", ");
}

function isOnly(list: readonly string[], userId: string | undefined): boolean {
  return userId !== undefined && list.length === 1 && list[0] === userId;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
