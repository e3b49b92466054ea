import type { Condition, FieldCondition, Operand } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import type { Dialect } from "./dialect.ts";

/** What a statement is bound with. Booleans travel as JSON type names, dates as ISO text. */
export type SqlParameter = string | number;

/**
 * Two walks over one tree. `shapeOf` writes what decides the SQL text (fields, operators, operand
 * types) and collects the parameters; `whereSql` writes the text, with placeholders in the same
 * order. The text is made once per shape, the parameters on every call.
 */
export function shapeOf(where: Condition, parameters: SqlParameter[]): string {
  switch (where.kind) {
    case "and":
    case "or":
    case "nor":
      return `${where.kind}(${where.conditions.map((condition) => shapeOf(condition, parameters)).join()})`;
    case "relatedTo":
      parameters.push(where.object.className, where.object.objectId, where.key);
      return "related";
    default:
      return fieldShape(where, parameters);
  }
}

export function whereSql(where: Condition, schema: ClassSchema, dialect: Dialect): string {
  switch (where.kind) {
    case "and":
    case "or": {
      if (where.conditions.length === 0) return "TRUE";
      const parts = where.conditions.map((condition) => whereSql(condition, schema, dialect));
      return `(${parts.join(where.kind === "and" ? " AND " : " OR ")})`;
    }
    case "nor": {
      const parts = where.conditions.map((condition) => whereSql(condition, schema, dialect));
      return `(${parts.join(" OR ")}) IS NOT TRUE`;
    }
    case "relatedTo":
      return "id IN (SELECT related_id FROM purse_relations WHERE class_name = ? AND owner_id = ? AND key = ?)";
    default:
      return fieldSql(where, schema, dialect);
  }
}

const COLUMNS: Readonly<Record<string, string>> = {
  objectId: "id",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

/** The column of a field that has one. */
export function columnOf(path: readonly string[]): string | undefined {
  const [field = ""] = path;
  return path.length === 1 && Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined;
}

function fieldShape(condition: FieldCondition, parameters: SqlParameter[]): string {
  const path = condition.path.join(".");
  switch (condition.kind) {
    case "exists":
      return `${path} exists ${condition.exists}`;
    case "regex":
      parameters.push(condition.source, condition.flags);
      return `${path} regex`;
    case "in":
    case "nin": {
      const groups = groupOperands(condition.operands);
      for (const group of groups) {
        if (group.className !== undefined) parameters.push(group.className);
        parameters.push(JSON.stringify(group.values));
      }
      return `${path} ${condition.kind} ${groups.map((group) => group.type).join("|")}`;
    }
    case "all":
      for (const operand of condition.operands) pushOperand(operand, parameters);
      return `${path} all ${condition.operands.map((operand) => operand.type).join("|")}`;
    default:
      pushOperand(condition.operand, parameters);
      return `${path} ${condition.kind} ${condition.operand.type}`;
  }
}

function pushOperand(operand: Operand, parameters: SqlParameter[]): void {
  switch (operand.type) {
    case "null":
      return;
    case "pointer":
      parameters.push(operand.value.className, operand.value.objectId);
      return;
    case "json":
      parameters.push(JSON.stringify(operand.value));
      return;
    case "boolean":
      parameters.push(String(operand.value));
      return;
    default:
      parameters.push(operand.value);
  }
}

interface OperandGroup {
  type: Operand["type"] | "scalar";
  /** Of pointers. */
  className?: string;
  values: (string | number)[];
}

/** Operands of one kind share one parameter, a JSON array. */
function groupOperands(operands: Operand[]): OperandGroup[] {
  const groups = new Map<string, OperandGroup>();
  const add = (type: OperandGroup["type"], value: string | number, className?: string) => {
    const key = className === undefined ? type : `${type}:${className}`;
    const group = groups.get(key);
    if (group) group.values.push(value);
    else groups.set(key, { type, values: [value], ...(className !== undefined && { className }) });
  };
  for (const operand of operands) {
    if (operand.type === "string" || operand.type === "number") add("scalar", operand.value);
    else if (operand.type === "boolean") add("boolean", String(operand.value));
    else if (operand.type === "date") add("date", operand.value);
    else if (operand.type === "pointer") add("pointer", operand.value.objectId, operand.value.className);
    else if (operand.type === "json") add("json", JSON.stringify(operand.value));
    else add("null", 0);
  }
  return [...groups.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
}

function fieldSql(condition: FieldCondition, schema: ClassSchema, dialect: Dialect): string {
  const column = columnOf(condition.path);
  if (column) return columnSql(condition, column, dialect);
  const { path } = condition;
  const typed = path.length === 1 ? schema.fields[path[0]]?.type : undefined;
  switch (condition.kind) {
    case "exists":
      return `${dialect.typeOf("doc", path)} IS ${condition.exists ? "NOT " : ""}NULL`;
    case "eq":
      return equalsSql(path, condition.operand, typed, dialect);
    case "ne":
      return `(${equalsSql(path, condition.operand, typed, dialect)}) IS NOT TRUE`;
    case "in":
      return inSql(path, condition.operands, typed, dialect);
    case "nin":
      return `(${inSql(path, condition.operands, typed, dialect)}) IS NOT TRUE`;
    case "all": {
      const parts = condition.operands.map((operand) =>
        dialect.anyItem("doc", path, itemEquals(operand, dialect)),
      );
      return `(${[`${dialect.typeOf("doc", path)} = 'array'`, ...parts].join(" AND ")})`;
    }
    case "regex": {
      const test = (value: string) => `(${dialect.regex(value)} AND ${dialect.isKind(value, "text")})`;
      return typed === "Array"
        ? dialect.anyItem("doc", path, test(dialect.item))
        : test(dialect.value("doc", path));
    }
    default:
      return orderedSql(path, OPERATORS[condition.kind], condition.operand, typed, dialect);
  }
}

const OPERATORS = { eq: "=", ne: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

/** Conditions on objectId, createdAt and updatedAt, which every object has. */
function columnSql(condition: FieldCondition, column: string, dialect: Dialect): string {
  switch (condition.kind) {
    case "exists":
      return condition.exists ? "TRUE" : "FALSE";
    case "regex":
      return dialect.regex(column);
    case "in":
    case "nin": {
      const groups = groupOperands(condition.operands).map((group) =>
        group.type === "pointer"
          ? `(? IS NULL AND ${dialect.inParameter(column)})`
          : dialect.inParameter(column),
      );
      const any = groups.length === 0 ? "FALSE" : `(${groups.join(" OR ")})`;
      return condition.kind === "in" ? any : `NOT ${any}`;
    }
    case "all":
      return conjunction(condition.operands.map((operand) => columnCompares(column, "=", operand)));
    default:
      return columnCompares(column, OPERATORS[condition.kind], condition.operand);
  }
}

function columnCompares(column: string, operator: string, operand: Operand): string {
  if (operand.type === "null") return operator === "<>" ? "TRUE" : "FALSE";
  if (operand.type === "pointer") return `(? IS NULL AND ${column} ${operator} ?)`;
  return `${column} ${operator} ?`;
}

function conjunction(parts: string[]): string {
  return parts.length === 0 ? "FALSE" : `(${parts.join(" AND ")})`;
}

/** Equality; an array also equals what one of its items equals. */
function equalsSql(
  path: readonly string[],
  operand: Operand,
  typed: string | undefined,
  dialect: Dialect,
): string {
  if (operand.type === "null") return `${dialect.value("doc", path)} IS NULL`;
  const whole = operand.type === "json" && Array.isArray(operand.value);
  if (typed === "Array" && !whole) return dialect.anyItem("doc", path, itemEquals(operand, dialect));
  switch (operand.type) {
    case "boolean":
      return `${dialect.typeOf("doc", path)} = ?`;
    case "date":
      return `${dialect.value("doc", [...path, "iso"])} = ?`;
    case "pointer":
      return `(${dialect.value("doc", [...path, "className"])} = ? AND ${dialect.value("doc", [...path, "objectId"])} = ?)`;
    case "json":
      return `${dialect.value("doc", path)} = ${dialect.jsonParameter()}`;
    default:
      // What lies below a declared field has no type: it may be an array.
      return typed === undefined && path.length > 1
        ? dialect.anyItemOrValue("doc", path, `${dialect.item} = ?`)
        : `${dialect.value("doc", path)} = ?`;
  }
}

function itemEquals(operand: Operand, dialect: Dialect): string {
  switch (operand.type) {
    case "null":
      return `${dialect.item} IS NULL`;
    case "boolean":
      return `${dialect.itemType} = ?`;
    case "date":
      return `${dialect.itemKey("iso")} = ?`;
    case "pointer":
      return `(${dialect.itemKey("className")} = ? AND ${dialect.itemKey("objectId")} = ?)`;
    case "json":
      return `${dialect.item} = ${dialect.jsonParameter()}`;
    default:
      return `${dialect.item} = ?`;
  }
}

function inSql(
  path: readonly string[],
  operands: Operand[],
  typed: string | undefined,
  dialect: Dialect,
): string {
  const groups = groupOperands(operands);
  if (groups.length === 0) return "FALSE";
  const parts = groups.map((group) =>
    typed === "Array"
      ? dialect.anyItem("doc", path, itemIn(group, dialect))
      : valueIn(path, group, typed, dialect),
  );
  return `(${parts.join(" OR ")})`;
}

function valueIn(
  path: readonly string[],
  group: OperandGroup,
  typed: string | undefined,
  dialect: Dialect,
): string {
  const at = (...below: string[]) => dialect.value("doc", [...path, ...below]);
  switch (group.type) {
    case "null":
      return `(${at()} IS NULL AND ? IS NOT NULL)`;
    case "boolean":
      return dialect.inParameter(dialect.typeOf("doc", path));
    case "date":
      return dialect.inParameter(at("iso"));
    case "pointer":
      return `(${at("className")} = ? AND ${dialect.inParameter(at("objectId"))})`;
    default:
      return typed === undefined && path.length > 1
        ? dialect.anyItemOrValue("doc", path, dialect.inParameter(dialect.item))
        : dialect.inParameter(at());
  }
}

function itemIn(group: OperandGroup, dialect: Dialect): string {
  switch (group.type) {
    case "null":
      return `(${dialect.item} IS NULL AND ? IS NOT NULL)`;
    case "boolean":
      return dialect.inParameter(dialect.itemType);
    case "date":
      return dialect.inParameter(dialect.itemKey("iso"));
    case "pointer":
      return `(${dialect.itemKey("className")} = ? AND ${dialect.inParameter(dialect.itemKey("objectId"))})`;
    default:
      return dialect.inParameter(dialect.item);
  }
}

function orderedSql(
  path: readonly string[],
  operator: string,
  operand: Operand,
  typed: string | undefined,
  dialect: Dialect,
): string {
  const value = dialect.value("doc", path);
  switch (operand.type) {
    case "null":
      return "FALSE";
    case "json":
      return "(? IS NULL)";
    case "pointer":
      return "(? IS NULL AND ? IS NULL)";
    case "boolean":
      return `${dialect.typeOf("doc", path)} ${operator} ?`;
    case "date":
      return typed === "Array"
        ? dialect.anyItem("doc", path, `${dialect.itemKey("iso")} ${operator} ?`)
        : `${dialect.value("doc", [...path, "iso"])} ${operator} ?`;
    default: {
      if (typed === (operand.type === "string" ? "String" : "Number")) return `${value} ${operator} ?`;
      const kind = operand.type === "string" ? "text" : "number";
      const test = (tested: string) => `(${dialect.isKind(tested, kind)} AND ${tested} ${operator} ?)`;
      return typed === "Array" ? dialect.anyItem("doc", path, test(dialect.item)) : test(value);
    }
  }
}
