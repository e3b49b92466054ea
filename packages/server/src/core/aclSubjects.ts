/** The user id and role names that ACL entries are matched against; null for the master key, which bypasses ACLs. */
export type AclSubjects = readonly string[] | null;
