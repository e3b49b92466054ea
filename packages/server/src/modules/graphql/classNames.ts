import pluralize from "pluralize";

/** The names of a class in the GraphQL schema, as Parse Server forms them. */
export interface GraphqlNames {
  /** `_User` is `User`, `note` is `Note`. */
  type: string;
  /** The query of one object, and the object in the payload of a mutation: `note`. */
  one: string;
  /** The query of many objects: `notes`. */
  many: string;
}

export function graphqlNames(className: string): GraphqlNames {
  const name = className.startsWith("_") ? className.slice(1) : className;
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const one = type.charAt(0).toLowerCase() + type.slice(1);
  return { type, one, many: pluralize(one) };
}
