import type { FieldType } from "@purse/protocol";
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLUnionType,
} from "graphql";
import type { GraphqlContext } from "./context.ts";
import type { GraphqlClassConfig } from "./graphqlConfig.ts";
import type { FieldsOf } from "./selection.ts";

/** A class as the GraphQL schema knows it. */
export interface GraphqlClass {
  className: string;
  /** All fields, in alphabetical order. */
  fields: Readonly<Record<string, FieldType>>;
  config: GraphqlClassConfig | undefined;
}

/** The types of a class; undefined where its name is taken by another one. */
export interface ClassTypes {
  createInput: GraphQLInputObjectType | undefined;
  updateInput: GraphQLInputObjectType | undefined;
  pointerInput: GraphQLInputObjectType | undefined;
  relationInput: GraphQLInputObjectType | undefined;
  whereInput: GraphQLInputObjectType | undefined;
  relationWhere: GraphQLInputObjectType | undefined;
  findArguments: GraphQLFieldConfigArgumentMap;
  output: GraphQLObjectType | undefined;
  connection: GraphQLObjectType | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of fields differ, and graphql-js has them as any.
export type Field = GraphQLFieldConfig<any, GraphqlContext>;

const RESERVED_TYPES: ReadonlySet<string> = new Set([
  ...["String", "Boolean", "Int", "Float", "ID", "ArrayResult", "Query", "Mutation", "Subscription"],
  ...["CreateFileInput", "CreateFilePayload", "Viewer", "SignUpInput", "SignUpPayload", "LogInInput"],
  ...["LogInPayload", "LogOutInput", "LogOutPayload", "CloudCodeFunction", "CallCloudCodeInput"],
  ...["CallCloudCodePayload", "CreateClassInput", "CreateClassPayload", "UpdateClassInput"],
  ...["UpdateClassPayload", "DeleteClassInput", "DeleteClassPayload", "PageInfo", "LiveQueryEvent"],
]);
const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  ...["health", "viewer", "class", "classes", "node", "signUp", "logIn", "logInWith", "logOut", "createFile"],
  ...["callCloudCode", "createClass", "updateClass", "deleteClass", "challenge", "resetPassword"],
  ...["confirmResetPassword", "sendVerificationEmail"],
]);

/**
 * Collects the types and root fields of a schema. What a class adds is left out where its name is taken, as in Parse
 * Server; other names must be free.
 */
export class TypeRegistry {
  readonly types = new Map<string, GraphQLNamedType>();
  readonly queries: Record<string, Field> = {};
  readonly mutations: Record<string, Field> = {};
  readonly subscriptions: Record<string, Field> = {};
  readonly classes: ReadonlyMap<string, GraphqlClass>;
  readonly classTypes = new Map<string, ClassTypes>();
  nodeInterface: GraphQLInterfaceType | undefined;
  viewer: GraphQLObjectType | undefined;
  /** The type of the elements of arrays. */
  readonly arrayResult: GraphQLUnionType;

  constructor(
    classes: readonly GraphqlClass[],
    createArrayResult: (registry: TypeRegistry) => GraphQLUnionType,
  ) {
    this.arrayResult = createArrayResult(this);
    this.classes = new Map(classes.map((each) => [each.className, each]));
  }

  /** Returns the fields of a class. */
  readonly fieldsOf: FieldsOf = (className) => this.classes.get(className)?.fields;

  /** Whether the server or another class has a type of that name. */
  isTaken(name: string): boolean {
    return RESERVED_TYPES.has(name) || this.types.has(name);
  }

  /** Adds a type of a class; returns undefined if its name is taken. */
  addOfClass<Type extends GraphQLNamedType>(type: Type, isConnection = false): Type | undefined {
    if (this.isTaken(type.name) || (!isConnection && type.name.endsWith("Connection"))) return undefined;
    this.types.set(type.name, type);
    return type;
  }

  add(...types: readonly GraphQLNamedType[]): void {
    for (const type of types) {
      if (this.types.has(type.name)) throw new Error(`The type ${type.name} exists already`);
      this.types.set(type.name, type);
    }
  }

  /** Adds a root field of a class, unless its name is taken. */
  addFieldOfClass(kind: "queries" | "mutations" | "subscriptions", name: string, field: Field): void {
    if (!/^[_A-Za-z]\w*$/.test(name) || name.startsWith("__")) return;
    if (!RESERVED_FIELDS.has(name) && !Object.hasOwn(this[kind], name)) this[kind][name] = field;
  }
}
