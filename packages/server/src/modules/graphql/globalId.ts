import { fromGlobalId } from "graphql-relay";

/** Returns the object id of a global id of the class, or the text itself, which is an object id then. */
export function objectIdOf(className: string, id: string): string {
  const { type, id: objectId } = fromGlobalId(id);
  return type === className ? objectId : id;
}
