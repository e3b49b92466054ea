import type { Store } from "../../database/store.ts";
import { type Aggregates, createAggregates } from "./aggregate.ts";
import type { AggregationWorker } from "./aggregationWorker.ts";
import { createReplayFields } from "./changedFields.ts";
import { createNumberDecimals } from "./numberDecimals.ts";
import { createObjectReader } from "./objectReader.ts";
import { createReads, type ReadDependencies, type Reads } from "./read.ts";
import { createReadAccess } from "./readAccess.ts";
import { createSerializer, type SerializerDependencies } from "./serializer.ts";
import { createWrites, type Writes } from "./write.ts";
import type { WriteDependencies } from "./writeSteps.ts";

export type ObjectsDependencies = {
  store: Store;
  aggregationWorker: AggregationWorker;
  /** Whether approximate integers of on-chain events have the format of Moralis v1. */
  sendsNumberDecimals?: boolean;
} & Omit<SerializerDependencies, "numberDecimals"> &
  Omit<ReadDependencies, "access" | "reader" | "serializer"> &
  Omit<WriteDependencies, "access" | "serializer" | "numberDecimals">;

/** Creates the services that all APIs use to read and write objects. All reads share one authorization. */
export function createObjects(dependencies: ObjectsDependencies): Reads &
  Writes & {
    aggregates: Aggregates;
    replayFields: ReturnType<typeof createReplayFields>;
  } {
  const access = createReadAccess(dependencies);
  const numberDecimals = createNumberDecimals(
    dependencies.schemas,
    dependencies.sendsNumberDecimals ?? false,
  );
  const serializer = createSerializer({ ...dependencies, numberDecimals }, access);
  const reader = createObjectReader(dependencies.store, access, dependencies.schemas);
  return {
    ...createReads({ ...dependencies, access, serializer, reader }),
    ...createWrites({ ...dependencies, access, serializer, numberDecimals }),
    replayFields: createReplayFields({ ...dependencies, access, serializer }),
    aggregates: createAggregates({ ...dependencies, access, reader }),
  };
}
