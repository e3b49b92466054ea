import type { ClassSchema } from "../classSchema.ts";
import { disableChangeLog, logNewClass } from "./changeLogLayout.ts";
import {
  indexStatements,
  insertionOrderStatement,
  outdatedIndexStatements,
  removalStatements,
  tableStatements,
  unusedIndexStatements,
} from "./classStatements.ts";
import { dropIndexes } from "./shortLocks.ts";
import type { Transaction } from "./transactions.ts";
import { addTypedColumns, indexedFields, newTypedColumns } from "./typedColumns.ts";

/** Returns the stored schema of a class; undefined if the class does not exist. */
export async function loadClass(
  transaction: Transaction,
  className: string,
): Promise<ClassSchema | undefined> {
  const [known] = await transaction.run("SELECT schema FROM purse_classes WHERE class_name = ?", [className]);
  return known && JSON.parse(String(known[0]));
}

/**
 * Creates or changes the table, columns and indexes of a class from its stored schema `current` to `next`, and stores
 * that. Requires the lock of the layout. With `rewritesLargeTable`, columns are also added to large tables, which takes
 * time in proportion to their size. Returns the schema with its columns.
 */
export async function changeClassTable(
  transaction: Transaction,
  current: ClassSchema | undefined,
  next: ClassSchema,
  { rewritesLargeTable }: { rewritesLargeTable: boolean },
): Promise<ClassSchema> {
  await disableChangeLog(transaction);
  if (current) await dropIndexes(transaction, unusedIndexStatements(current, next));
  const removals = current ? removalStatements(current, next) : [];
  for (const { sql, parameters } of removals) await transaction.run(sql, parameters);
  const typedColumns = current ? [] : newTypedColumns(next);
  for (const statement of tableStatements(next, typedColumns)) await transaction.run(statement, []);
  if (!current) await transaction.run(insertionOrderStatement(next), []);
  const known = current ? indexedFields(current) : new Set();
  const addsIndex = [...indexedFields(next)].some((field) => !known.has(field));
  const schema = await addTypedColumns(transaction, next, { rewritesLargeTable, addsIndex });
  if (current) await dropIndexes(transaction, outdatedIndexStatements(current, schema));
  for (const statement of indexStatements(schema)) await transaction.run(statement, []);
  await transaction.run(
    `INSERT INTO purse_classes (class_name, schema) VALUES (?, ?)
     ON CONFLICT (class_name) DO UPDATE SET schema = excluded.schema`,
    [schema.className, JSON.stringify(schema)],
  );
  if (!current) await logNewClass(transaction, schema);
  return schema;
}
