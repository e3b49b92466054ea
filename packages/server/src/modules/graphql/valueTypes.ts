import { ROLE_PREFIX } from "@purse/protocol";
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from "graphql";
import { toGlobalId } from "graphql-relay";
import { ANY, DATE, FILE, UPLOAD } from "./scalars.ts";

export const FILE_INFO = new GraphQLObjectType({
  name: "FileInfo",
  description: "The FileInfo object type is used to return the information about files.",
  fields: {
    name: { description: "This is the file name.", type: new GraphQLNonNull(GraphQLString) },
    url: {
      description: "This is the url in which the file can be downloaded.",
      type: new GraphQLNonNull(GraphQLString),
    },
  },
});

export const FILE_INPUT = new GraphQLInputObjectType({
  name: "FileInput",
  description: "A file that is stored already, or a new one. Null removes the file from the object.",
  fields: {
    file: { description: "A stored file: its name, or its name and URL.", type: FILE },
    upload: { description: "A new file.", type: UPLOAD },
  },
});

const coordinates = () => ({
  latitude: { description: "This is the latitude.", type: new GraphQLNonNull(GraphQLFloat) },
  longitude: { description: "This is the longitude.", type: new GraphQLNonNull(GraphQLFloat) },
});

export const GEO_POINT_INPUT = new GraphQLInputObjectType({
  name: "GeoPointInput",
  description: "A value of a field of type GeoPoint.",
  fields: coordinates,
});

export const GEO_POINT = new GraphQLObjectType({
  name: "GeoPoint",
  description: "The GeoPoint object type is used to return the information about geo point fields.",
  fields: coordinates,
});

export const POLYGON_INPUT = new GraphQLList(new GraphQLNonNull(GEO_POINT_INPUT));
export const POLYGON = new GraphQLList(new GraphQLNonNull(GEO_POINT));

const permissions = () => ({
  read: { description: "Whether it may be read.", type: new GraphQLNonNull(GraphQLBoolean) },
  write: { description: "Whether it may be written.", type: new GraphQLNonNull(GraphQLBoolean) },
});
const userId = { description: "The user.", type: new GraphQLNonNull(GraphQLID) };

const USER_ACL_INPUT = new GraphQLInputObjectType({
  name: "UserACLInput",
  description: "Permissions of a user.",
  fields: () => ({ userId, ...permissions() }),
});

const ROLE_ACL_INPUT = new GraphQLInputObjectType({
  name: "RoleACLInput",
  description: "Permissions of the members of a role.",
  fields: () => ({
    roleName: { description: "The name of the role.", type: new GraphQLNonNull(GraphQLString) },
    ...permissions(),
  }),
});

const PUBLIC_ACL_INPUT = new GraphQLInputObjectType({
  name: "PublicACLInput",
  description: "Permissions of everybody.",
  fields: permissions,
});

export const ACL_INPUT = new GraphQLInputObjectType({
  name: "ACLInput",
  description: "Who may read and write an object. Without it, the default of the server applies.",
  fields: {
    users: {
      description: "Permissions of users.",
      type: new GraphQLList(new GraphQLNonNull(USER_ACL_INPUT)),
    },
    roles: {
      description: "Permissions of roles.",
      type: new GraphQLList(new GraphQLNonNull(ROLE_ACL_INPUT)),
    },
    public: { description: "Permissions of everybody.", type: PUBLIC_ACL_INPUT },
  },
});

const USER_ACL = new GraphQLObjectType({
  name: "UserACL",
  description: "Permissions of a user.",
  fields: () => ({ userId, ...permissions() }),
});

const ROLE_ACL = new GraphQLObjectType({
  name: "RoleACL",
  description: "Permissions of the members of a role.",
  fields: () => ({
    roleName: { description: "The name of the role.", type: new GraphQLNonNull(GraphQLID) },
    ...permissions(),
  }),
});

const PUBLIC_ACL = new GraphQLObjectType({
  name: "PublicACL",
  description: "Permissions of everybody.",
  fields: {
    read: { description: "Whether everybody may read the object.", type: GraphQLBoolean },
    write: { description: "Whether everybody may write the object.", type: GraphQLBoolean },
  },
});

type WireAcl = Record<string, { read?: boolean; write?: boolean } | null>;

function entriesOf(acl: WireAcl, isWanted: (subject: string) => boolean) {
  return Object.entries(acl)
    .filter(([subject]) => isWanted(subject))
    .map(([subject, rights]) => ({
      subject,
      read: rights?.read === true,
      write: rights?.write === true,
    }));
}

function orNull<T>(list: T[]): T[] | null {
  return list.length > 0 ? list : null;
}

export const ACL = new GraphQLObjectType<WireAcl>({
  name: "ACL",
  description: "Current access control list of the current object.",
  fields: {
    users: {
      description: "Access control list for users.",
      type: new GraphQLList(new GraphQLNonNull(USER_ACL)),
      resolve: (acl) =>
        orNull(
          entriesOf(acl, (subject) => subject !== "*" && !subject.startsWith(ROLE_PREFIX)).map(
            ({ subject, ...rights }) => ({ userId: toGlobalId("_User", subject), ...rights }),
          ),
        ),
    },
    roles: {
      description: "Access control list for roles.",
      type: new GraphQLList(new GraphQLNonNull(ROLE_ACL)),
      resolve: (acl) =>
        orNull(
          entriesOf(acl, (subject) => subject.startsWith(ROLE_PREFIX)).map(({ subject, ...rights }) => ({
            roleName: subject.slice(ROLE_PREFIX.length),
            ...rights,
          })),
        ),
    },
    public: {
      description: "Public access control list.",
      type: PUBLIC_ACL,
      resolve: (acl) => entriesOf(acl, (subject) => subject === "*")[0] ?? null,
    },
  },
});

export const OBJECT_ID = new GraphQLNonNull(GraphQLID);
export const ID_ARGUMENT = {
  description: "This is the object id. You can use either the global or the object id.",
  type: OBJECT_ID,
};

const PUBLIC: WireAcl = { "*": { read: true, write: true } };

/** The fields of all objects, besides the global id. */
export const OBJECT_FIELDS = {
  objectId: { description: "This is the object id.", type: OBJECT_ID },
  createdAt: {
    description: "This is the date in which the object was created.",
    type: new GraphQLNonNull(DATE),
  },
  updatedAt: {
    description: "This is the date in which the object was last updated.",
    type: new GraphQLNonNull(DATE),
  },
  ACL: {
    description: "Who may read and write the object.",
    type: new GraphQLNonNull(ACL),
    resolve: (source: { ACL?: WireAcl }) => source.ACL ?? PUBLIC,
  },
};

export const PARSE_OBJECT = new GraphQLInterfaceType({
  name: "ParseObject",
  description: "The base of the object types of classes.",
  fields: OBJECT_FIELDS,
});

export const ELEMENT = new GraphQLObjectType({
  name: "Element",
  description: "An element of an array that is no object of a class.",
  fields: {
    value: { description: "Return the value of the element in the array", type: new GraphQLNonNull(ANY) },
  },
});
