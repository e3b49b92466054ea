import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { CONFIG_OBJECT_ID } from "../../data/schema/systemClasses.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, getRow, updateRow } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import { type GraphqlConfig, graphqlConfigSchema } from "./graphqlConfig.ts";

export interface GraphqlConfigDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  onError(error: unknown, activity: string): void;
}

/** The notification that a process has changed the configuration. */
const CHANGED = "graphql-config";

/** Reads and changes the GraphQL configuration of the application. It is kept in memory until a process changes it. */
export class GraphqlConfigService {
  readonly #dependencies: GraphqlConfigDependencies;
  #config: Promise<GraphqlConfig> | undefined;

  constructor(dependencies: GraphqlConfigDependencies) {
    this.#dependencies = dependencies;
    dependencies.store.subscribe((message) => {
      if (message === undefined || message === CHANGED) this.#config = undefined;
    });
  }

  /** Returns the configuration; the same object as long as it has not changed. */
  read(): Promise<GraphqlConfig> {
    this.#config ??= this.#load().catch((error: unknown) => {
      this.#config = undefined;
      throw error;
    });
    return this.#config;
  }

  /** Replaces the configuration. Throws 107 if it is not valid. */
  async replace(config: JsonValue | undefined): Promise<void> {
    const { data, error } = graphqlConfigSchema.safeParse(config);
    if (!data || !isJsonObject(config)) {
      const problem = error ? z.prettifyError(error) : "must be an object";
      throw new ProtocolError(ErrorCode.INVALID_JSON, `Invalid graphQLConfig: ${problem}`);
    }
    await this.#write(config);
    this.#config = undefined;
    await this.#dependencies.store.publish(CHANGED);
  }

  async #load(): Promise<GraphqlConfig> {
    const { store, schemaOf } = this.#dependencies;
    const row = await getRow(store, schemaOf("_GraphQLConfig"), CONFIG_OBJECT_ID);
    const { data, error } = graphqlConfigSchema.safeParse(row?.config ?? {});
    if (error) this.#dependencies.onError(error, "reading the GraphQL configuration");
    return data ?? {};
  }

  async #write(config: JsonObject): Promise<void> {
    const { store, schemaOf, clock } = this.#dependencies;
    const schema = schemaOf("_GraphQLConfig");
    const id = CONFIG_OBJECT_ID;
    if (!(await getRow(store, schema, id))) {
      try {
        await store.write([createRow(schema, id, clock(), { config })]);
        return;
      } catch (error) {
        // Another process has created the row.
        if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
      }
    }
    await store.write([updateRow(schema, id, clock(), { config })]);
  }
}
