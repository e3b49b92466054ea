import { GraphQLError, Kind, type ValueNode } from "graphql";
import type { BodyLimits } from "../../core/http/bodyParser.ts";
import { UploadedFile } from "./context.ts";

/** The size of input, measured like that of a body in JSON. */
export interface InputSize {
  /** Characters of texts and numbers. */
  bytes: number;
  /** Keys, strings, arrays and objects. */
  nodes: number;
  /** Nodes, numbers, booleans and nulls. */
  values: number;
  /** Bytes of uploaded files. */
  fileBytes: number;
}

/** The input of one operation or of one field: values in the document, and how often it uses each variable. */
export interface Input {
  literals: InputSize;
  uses: Map<string, number>;
}

/** Limits of the input of one request. */
export interface InputLimits extends BodyLimits {
  fileBytes: number;
}

export function emptyInput(): Input {
  return { literals: { bytes: 0, nodes: 0, values: 0, fileBytes: 0 }, uses: new Map() };
}

/** Adds a size as often as it is used. */
export function addSize(total: InputSize, size: InputSize, times: number): void {
  total.bytes += size.bytes * times;
  total.nodes += size.nodes * times;
  total.values += size.values * times;
  total.fileBytes += size.fileBytes * times;
}

/** Adds a value of the document. Throws GraphQLError if it is nested too deeply. */
export function addLiteral(input: Input, node: ValueNode, depth: number): void {
  const { literals, uses } = input;
  if (depth < 0) throw tooComplex("The document is nested too deeply.");
  literals.values += 1;
  switch (node.kind) {
    case Kind.VARIABLE: {
      const name = node.name.value;
      uses.set(name, (uses.get(name) ?? 0) + 1);
      return;
    }
    case Kind.LIST:
      literals.nodes += 1;
      for (const value of node.values) addLiteral(input, value, depth - 1);
      return;
    case Kind.OBJECT:
      literals.nodes += 1;
      for (const { name, value } of node.fields) {
        literals.nodes += 1;
        literals.values += 1;
        literals.bytes += name.value.length;
        addLiteral(input, value, depth - 1);
      }
      return;
    case Kind.NULL:
    case Kind.BOOLEAN:
      literals.bytes += 1;
      return;
    default:
      if (node.kind === Kind.STRING) literals.nodes += 1;
      literals.bytes += node.value.length;
  }
}

/** Measures the JSON value of a variable. */
export function sizeOfValue(value: unknown): InputSize {
  const size: InputSize = { bytes: 0, nodes: 0, values: 0, fileBytes: 0 };
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    size.values += 1;
    if (typeof next === "string") {
      size.nodes += 1;
      size.bytes += next.length;
    } else if (typeof next !== "object" || next === null) size.bytes += 1;
    else if (next instanceof UploadedFile) size.fileBytes += next.size;
    else if (Array.isArray(next)) {
      size.nodes += 1;
      for (const item of next) open.push(item);
    } else {
      size.nodes += 1;
      // JSON has no inherited properties; lists of entries would take most of the time.
      for (const key in next) {
        size.nodes += 1;
        size.values += 1;
        size.bytes += key.length;
        open.push(Reflect.get(next, key));
      }
    }
  }
  return size;
}

/** The error of an operation that takes too much. */
export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "QUERY_TOO_COMPLEX" } });
}

/** Returns the error of input that is larger than the body of a request may be. */
export function checkSize(
  { bytes, nodes, values, fileBytes }: InputSize,
  limits: InputLimits,
): GraphQLError | undefined {
  const { json } = limits;
  const refuse = (what: string) =>
    tooComplex(`The operation takes more than ${what}, with each value as often as it is used.`);
  if (bytes > limits.bytes) return refuse(`${limits.bytes} bytes of input`);
  if (nodes > json.nodes) return refuse(`${json.nodes} keys, strings, arrays and objects of input`);
  if (values > json.values) return refuse(`${json.values} values of input`);
  if (fileBytes > limits.fileBytes) return refuse(`${limits.fileBytes} bytes of files`);
  return undefined;
}
