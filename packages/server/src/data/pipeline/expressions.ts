import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { ACCUMULATORS_AS_EXPRESSIONS } from "./accumulators.ts";
import {
  type Compiler,
  constant,
  type Evaluate,
  newVariable,
  type Operator,
  type Operators,
  unary,
  type Variable,
} from "./evaluation.ts";
import { pathReader, splitPath } from "./fieldPaths.ts";
import { ARITHMETIC, TRIGONOMETRY } from "./operators/arithmetic.ts";
import { ARRAYS, endOfArray, SETS } from "./operators/arrays.ts";
import { CONVERSIONS } from "./operators/conversions.ts";
import { DATES } from "./operators/dates.ts";
import { LOGIC } from "./operators/logic.ts";
import { OBJECTS } from "./operators/objects.ts";
import { STRINGS } from "./operators/strings.ts";
import { PipelineError } from "./pipelineError.ts";
import { Document, type Value } from "./values.ts";
import { isTypedJson, toValue } from "./wireDocuments.ts";

const OPERATORS: Operators = {
  ...ACCUMULATORS_AS_EXPRESSIONS,
  ...ARITHMETIC,
  ...ARRAYS,
  ...CONVERSIONS,
  ...DATES,
  ...LOGIC,
  ...OBJECTS,
  ...SETS,
  ...STRINGS,
  ...TRIGONOMETRY,
  $first: unary(endOfArray(0)),
  $last: unary(endOfArray(-1)),
};

/** The names of all operators of expressions. */
export const OPERATOR_NAMES: readonly string[] = Object.keys(OPERATORS);

/** Creates a compiler for the expressions of a pipeline that runs at `now`. */
export function createCompiler(now: Date): Compiler {
  return new ExpressionCompiler(new Map([["NOW", { ...newVariable(), value: now }]]));
}

class ExpressionCompiler implements Compiler {
  readonly variables: ReadonlyMap<string, Variable>;

  constructor(variables: ReadonlyMap<string, Variable>) {
    this.variables = variables;
  }

  with(variables: Readonly<Record<string, Variable>>): Compiler {
    return new ExpressionCompiler(new Map([...this.variables, ...Object.entries(variables)]));
  }

  expression(expression: JsonValue): Evaluate {
    if (typeof expression === "string") return this.#text(expression);
    if (Array.isArray(expression)) return this.#list(expression);
    if (!isJsonObject(expression) || isTypedJson(expression)) return constant(toValue(expression));
    const [name] = Object.keys(expression);
    return name?.startsWith("$") ? this.#operator(name, expression) : this.#object(expression);
  }

  #text(text: string): Evaluate {
    if (!text.startsWith("$")) return constant(text);
    if (!text.startsWith("$$")) {
      const read = pathReader(splitPath(text.slice(1)));
      const current = this.#use("CURRENT");
      return current ? () => read(current.value) : read;
    }
    const [name = "", ...path] = text.slice(2).split(".");
    const value = this.#variable(name);
    if (path.length === 0) return value;
    const read = pathReader(splitPath(path.join(".")));
    return (document) => read(value(document));
  }

  #variable(name: string): Evaluate {
    const variable = this.#use(name);
    if (variable) return () => variable.value;
    if (name === "ROOT" || name === "CURRENT") return (document) => document;
    if (name === "REMOVE") return constant(undefined);
    throw new PipelineError(`undefined variable: $$${name.slice(0, 64)}`);
  }

  #use(name: string): Variable | undefined {
    const variable = this.variables.get(name);
    if (variable) variable.uses += 1;
    return variable;
  }

  #list(expressions: readonly JsonValue[]): Evaluate {
    const items = expressions.map((each) => this.expression(each));
    return (document) => items.map((item) => item(document) ?? null);
  }

  #operator(name: string, expression: JsonObject): Evaluate {
    if (Object.keys(expression).length > 1) {
      throw new PipelineError(`an expression with ${name.slice(0, 64)} has other keys beside it`);
    }
    const operator: Operator | undefined = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (!operator) throw new PipelineError(`Invalid aggregate operator: ${name.slice(0, 64)}`);
    return operator(expression[name] ?? null, this, name);
  }

  #object(expression: JsonObject): Evaluate {
    const fields = Object.entries(expression).map(([name, value]): [string, Evaluate] => {
      if (name.includes(".") || name.startsWith("$")) {
        throw new PipelineError(`invalid name of a field in an expression: ${name.slice(0, 64)}`);
      }
      return [name, this.expression(value)];
    });
    return (document) => {
      const result = new Document();
      for (const [name, evaluate] of fields) {
        const value: Value = evaluate(document);
        if (value !== undefined) result[name] = value;
      }
      return result;
    };
  }
}
