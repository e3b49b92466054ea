import { isInternalClassName } from "@purse/protocol";
import type { GraphQLSchema } from "graphql";
import { type ClassSchema, COMMON_FIELDS } from "../../database/classSchema.ts";
import { buildSchema } from "./buildSchema.ts";
import type { GraphqlConfig } from "./graphqlConfig.ts";
import type { GraphqlClass } from "./typeRegistry.ts";

export interface SchemaCacheDependencies {
  /** The classes; the object of a class that has not changed is the same. */
  classes(): readonly ClassSchema[];
  functionNames(): readonly string[];
  /** What of the classes is in the schema; the object of an unchanged configuration is the same. */
  config(): Promise<GraphqlConfig>;
}

/** Fields that clients know although they are stored apart from the object. */
const SECRET_FIELDS: Readonly<Record<string, GraphqlClass["fields"]>> = {
  _User: {
    username: { type: "String" },
    password: { type: "String" },
    email: { type: "String" },
    emailVerified: { type: "Boolean" },
    authData: { type: "Object" },
  },
};

/** Builds the GraphQL schema when it is first needed, and again after classes, functions or its configuration changed. */
export class SchemaCache {
  readonly #dependencies: SchemaCacheDependencies;
  #inputs: readonly unknown[] = [];
  #schema: GraphQLSchema | undefined;

  constructor(dependencies: SchemaCacheDependencies) {
    this.#dependencies = dependencies;
  }

  async get(): Promise<GraphQLSchema> {
    const { classes, functionNames, config } = this.#dependencies;
    const graphqlConfig = await config();
    const names = functionNames();
    const all = classes();
    const inputs = [graphqlConfig, names.join(), ...all];
    const isCurrent =
      inputs.length === this.#inputs.length && inputs.every((input, index) => input === this.#inputs[index]);
    if (this.#schema && isCurrent) return this.#schema;
    this.#schema = buildSchema(
      all
        .filter((each) => isInSchema(each, graphqlConfig))
        .map((each) => toGraphqlClass(each, graphqlConfig)),
      names,
    );
    this.#inputs = inputs;
    return this.#schema;
  }
}

function isInSchema(
  { className }: ClassSchema,
  { enabledForClasses, disabledForClasses }: GraphqlConfig,
): boolean {
  if (isInternalClassName(className) || OWN_CLASSES.has(className)) return false;
  if (enabledForClasses && !enabledForClasses.includes(className)) return false;
  return !disabledForClasses?.includes(className);
}

/** Classes of the server that have interfaces of their own. */
const OWN_CLASSES: ReadonlySet<string> = new Set(["_ApiKey"]);

function toGraphqlClass({ className, fields }: ClassSchema, { classConfigs }: GraphqlConfig): GraphqlClass {
  const all = { ...SECRET_FIELDS[className], ...COMMON_FIELDS, ...fields };
  return {
    className,
    fields: Object.fromEntries(
      Object.entries(all)
        .filter(([name]) => !name.startsWith("_"))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    config: classConfigs?.find((each) => each.className === className),
  };
}
