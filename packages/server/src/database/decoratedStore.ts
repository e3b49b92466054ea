import type { Store } from "./store.ts";

type AsyncMethod<Methods> = {
  [Name in keyof Methods]-?: NonNullable<Methods[Name]> extends (...args: never[]) => Promise<unknown>
    ? Name
    : never;
}[keyof Methods];

/** The operations of a store: its methods that wait for the database. */
export type StoreOperation = Exclude<AsyncMethod<Store>, "close">;

/** Runs an operation. `subject` is its first argument: a schema, a query, writes, or a name. */
export type RunOperation = <T>(
  operation: StoreOperation,
  subject: unknown,
  run: () => Promise<T>,
) => Promise<T>;

/** Decorates a store: each operation passes through `around`, which runs it and returns its result. */
export function decorateStore(store: Store, around: RunOperation): Store {
  const { addColumns, probeWrite, sizeBytes } = store;
  const operations: Pick<Store, StoreOperation> = {
    get: (schema, id, subjects) => around("get", schema, () => store.get(schema, id, subjects)),
    find: (query) => around("find", query, () => store.find(query)),
    count: (query) => around("count", query, () => store.count(query)),
    distinct: (query, path) => around("distinct", query, () => store.distinct(query, path)),
    group: (query, group) => around("group", query, () => store.group(query, group)),
    explain: (query) => around("explain", query, () => store.explain(query)),
    getSecret: (schema, id) => around("getSecret", schema, () => store.getSecret(schema, id)),
    getSecrets: (schema, ids) => around("getSecrets", schema, () => store.getSecrets(schema, ids)),
    getUniqueOwner: (scope, value) =>
      around("getUniqueOwner", scope, () => store.getUniqueOwner(scope, value)),
    getCounter: (scope, value) => around("getCounter", scope, () => store.getCounter(scope, value)),
    getUniqueValues: (scope, owner) =>
      around("getUniqueValues", scope, () => store.getUniqueValues(scope, owner)),
    ownersInRelation: (className, key, relatedIds) =>
      around("ownersInRelation", className, () => store.ownersInRelation(className, key, relatedIds)),
    write: (writes) => around("write", writes, () => store.write(writes)),
    createEach: (creates) => around("createEach", creates, () => store.createEach(creates)),
    loadClasses: (className) => around("loadClasses", className, () => store.loadClasses(className)),
    changeClass: (className, edit) =>
      around("changeClass", className, () => store.changeClass(className, edit)),
    dropClass: (schema) => around("dropClass", schema, () => store.dropClass(schema)),
    purge: (schema) => around("purge", schema, () => store.purge(schema)),
    scan: (schema, after, limit) => around("scan", schema, () => store.scan(schema, after, limit)),
    scanRelations: (after, limit) =>
      around("scanRelations", undefined, () => store.scanRelations(after, limit)),
    scanUniqueValues: (after, limit) =>
      around("scanUniqueValues", undefined, () => store.scanUniqueValues(after, limit)),
    getRequest: (key) => around("getRequest", key, () => store.getRequest(key)),
    getSubrequestReplies: (key) => around("getSubrequestReplies", key, () => store.getSubrequestReplies(key)),
    deleteExpiredRequests: (maxLength) =>
      around("deleteExpiredRequests", undefined, () => store.deleteExpiredRequests(maxLength)),
    deleteExpired: () => around("deleteExpired", undefined, () => store.deleteExpired()),
    publish: (message) => around("publish", undefined, () => store.publish(message)),
    ...(addColumns && {
      addColumns: (className: string) => around("addColumns", className, () => addColumns(className)),
    }),
    ...(probeWrite && { probeWrite: () => around("probeWrite", undefined, probeWrite) }),
    ...(sizeBytes && { sizeBytes: () => around("sizeBytes", undefined, sizeBytes) }),
  };
  return { ...store, ...operations };
}
