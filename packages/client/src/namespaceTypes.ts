/* The types of the namespace by their Moralis names, as `Moralis.User`. */

export type { ParseError as Error } from "./errors.ts";
export type { Subscription as LiveQuerySubscription } from "./live/Subscription.ts";
export type { ACL } from "./object/ACL.ts";
export type { ParseFile as File } from "./object/File.ts";
export type { GeoPoint } from "./object/GeoPoint.ts";
export type { Attributes, BaseAttributes, ParseObject as Object } from "./object/ParseObject.ts";
export type { Polygon } from "./object/Polygon.ts";
export type { Relation } from "./object/Relation.ts";
export type { Query } from "./query/Query.ts";
export type { Role } from "./user/Role.ts";
export type { Session } from "./user/Session.ts";
export type { User } from "./user/User.ts";
