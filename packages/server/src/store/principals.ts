/** What ACL entries are compared with; null stands for the master key, which passes every ACL. */
export type Principals = readonly string[] | null;
