import { nameWithin } from "./fieldPaths.ts";
import { Document, type Value } from "./values.ts";

const INDEX = /^\d+$/;

/**
 * Returns a function that collects all values to which a path leads, as conditions and sort orders read it: after an
 * array, the path is read from each item that is an object, and a number is also an index. Arrays at its end are not
 * divided into their items. Objects on the way that lack the next field contribute `undefined`.
 */
export function valueCollector(names: readonly string[]): (value: Value) => Value[] {
  const fields = names.map((name) => ({ name, index: INDEX.test(name) ? Number(name) : undefined }));
  const [only] = names;
  if (only !== undefined && names.length === 1) {
    // Most paths are the name of a field.
    return (value) => {
      if (value instanceof Document) return [value[nameWithin(value, only)]];
      const found: Value[] = [];
      collect(value, fields, 0, found);
      return found;
    };
  }
  return (value) => {
    const found: Value[] = [];
    collect(value, fields, 0, found);
    return found;
  };
}

interface PathField {
  name: string;
  index: number | undefined;
}

function collect(value: Value, fields: readonly PathField[], at: number, found: Value[]): void {
  const field = fields[at];
  if (!field) found.push(value);
  else if (value instanceof Document) collect(value[nameWithin(value, field.name)], fields, at + 1, found);
  else if (Array.isArray(value)) {
    if (field.index !== undefined && field.index < value.length) {
      collect(value[field.index], fields, at + 1, found);
    }
    for (const item of value) {
      const isRead =
        item instanceof Document && (field.index === undefined || item[field.name] !== undefined);
      if (isRead) collect(item, fields, at, found);
    }
  } else found.push(undefined);
}
