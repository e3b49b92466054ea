import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Aggregates } from "../../data/objects/aggregate.ts";
import type { dataEndpoints, StudioChart } from "../../studioApi/data.ts";
import { invalidParameter } from "../../studioApi/parseInput.ts";
import type { Requests } from "../route.ts";
import type { ClassRequest } from "./liveRows.ts";

type ChartRequest = Requests<typeof dataEndpoints>["chart"];

export interface ChartDependencies {
  aggregates: Aggregates;
  /** Returns the types of the fields of a class. */
  fieldTypes(className: string): (field: string) => string | undefined;
  /** Returns the class of a request that the studio may show. Throws 103. */
  requireClass(request: ClassRequest): string;
}

/** Formats of `$dateToString` for which the database groups the rows itself. */
const DATE_FORMATS = {
  hour: "%Y-%m-%dT%H",
  day: "%Y-%m-%d",
  month: "%Y-%m",
  year: "%Y",
} as const;

const GROUP_TYPES: ReadonlySet<string> = new Set(["String", "Number", "Boolean", "Pointer"]);

/** Creates the handler that aggregates rows for charts. The database aggregates: no rows are loaded. */
export function createChart({ aggregates, fieldTypes, requireClass }: ChartDependencies) {
  return async (request: ChartRequest): Promise<StudioChart> => {
    const { where = {}, fn, field, by, interval, limit } = request.params;
    const className = requireClass(request);
    const typeOf = fieldTypes(className);
    const isTime = typeOf(by) === "Date";
    if (!isTime && (!GROUP_TYPES.has(typeOf(by) ?? "") || by === "objectId")) {
      throw invalidParameter("by must be a date, or a field of type String, Number, Boolean or Pointer");
    }
    if (fn !== "count" && typeOf(field ?? "") !== "Number") {
      throw invalidParameter("field must be a field of type Number");
    }
    const group: JsonObject = {
      _id: isTime ? { $dateToString: { format: DATE_FORMATS[interval], date: `$${by}` } } : `$${by}`,
      value: fn === "count" ? { $sum: 1 } : { [`$${fn}`]: `$${field}` },
    };
    const pipeline: JsonValue[] = [
      { $group: group },
      // Rows without the date have no place on the axis of time.
      ...(isTime
        ? [{ $match: { _id: { $ne: null } } }, { $sort: { _id: -1 } }]
        : [{ $sort: { value: -1, _id: 1 } }]),
      { $limit: limit + 1 },
    ];
    const results = await aggregates.aggregate(request.context, className, { where, pipeline });
    const points = results.slice(0, limit).map((text) => toPoint(JSON.parse(text)));
    return { points: isTime ? points.toReversed() : points, isCapped: results.length > limit };
  };
}

function toPoint(result: JsonValue): StudioChart["points"][number] {
  const { objectId: key = null, value = null } = isJsonObject(result) ? result : {};
  return {
    key: typeof key === "object" ? null : key,
    value: typeof value === "number" ? value : null,
  };
}
