import { isJsonObject, type JsonValue } from "@purse/protocol";
import {
  argumentsOf,
  binary,
  constant,
  type Evaluate,
  MISSING,
  namedArguments,
  namedJson,
  newVariable,
  type Operator,
  type Operators,
  unary,
  type Variable,
} from "../evaluation.ts";
import { PipelineError } from "../pipelineError.ts";
import { compareValues, isNullish, isSame, isTrue } from "../values.ts";
import { toValue } from "../wireDocuments.ts";

/** `$and` and `$or`: stops at the first argument that decides. */
function connective(decisive: boolean): Operator {
  return (argument, compiler, name) => {
    const operands = argumentsOf(argument, compiler, name, 0, Number.POSITIVE_INFINITY);
    return (document) =>
      operands.some((operand) => isTrue(operand(document)) === decisive) ? decisive : !decisive;
  };
}

const cond: Operator = (argument, compiler, name) => {
  const named = isJsonObject(argument)
    ? namedArguments(argument, compiler, name, ["if", "then", "else"])
    : undefined;
  const [condition = MISSING, then = MISSING, otherwise = MISSING] = named
    ? [named.get("if"), named.get("then"), named.get("else")]
    : argumentsOf(argument, compiler, name, 3);
  return (document) => (isTrue(condition(document)) ? then(document) : otherwise(document));
};

const ifNull: Operator = (argument, compiler, name) => {
  const operands = argumentsOf(argument, compiler, name, 2, Number.POSITIVE_INFINITY);
  const last = operands.pop() ?? MISSING;
  return (document) => {
    for (const operand of operands) {
      const value = operand(document);
      if (!isNullish(value)) return value;
    }
    return last(document);
  };
};

const switchOperator: Operator = (argument, compiler, name) => {
  const { branches, default: otherwise } = namedJson(argument, name, ["branches"], ["default"]);
  if (!Array.isArray(branches) || branches.length === 0) {
    throw new PipelineError("$switch takes a list of branches with at least one");
  }
  const cases = branches.map((branch) => {
    const parts = namedArguments(branch, compiler, "a branch of $switch", ["case", "then"]);
    return { condition: parts.get("case"), outcome: parts.get("then") };
  });
  const fallback = otherwise === undefined ? undefined : compiler.expression(otherwise);
  return (document) => {
    for (const { condition, outcome } of cases) if (isTrue(condition(document))) return outcome(document);
    if (!fallback) throw new PipelineError("no branch of $switch applies, and it has no default");
    return fallback(document);
  };
};

const letOperator: Operator = (argument, compiler, name) => {
  const { vars, in: body = null } = namedJson(argument, name, ["vars", "in"]);
  const bindings = compileVariables(vars, (expression) => compiler.expression(expression));
  const variables = Object.fromEntries(bindings.map(({ key, variable }) => [key, variable]));
  const evaluate = compiler.with(variables).expression(body);
  return (document) => {
    const values = bindings.map((binding) => binding.evaluate(document));
    bindings.forEach(({ variable }, i) => {
      variable.value = values[i];
    });
    return evaluate(document);
  };
};

export interface Binding {
  key: string;
  variable: Variable;
  evaluate: Evaluate;
}

/** Compiles the variables of a `$let` or of a `let` of a stage. */
export function compileVariables(
  vars: JsonValue | undefined,
  compile: (expression: JsonValue) => Evaluate,
): Binding[] {
  if (!isJsonObject(vars)) throw new PipelineError("variables are an object with their names and values");
  return Object.entries(vars).map(([key, expression]) => {
    if (key !== "CURRENT") assertVariableName(key);
    return { key, variable: newVariable(), evaluate: compile(expression) };
  });
}

/** Names of variables begin with a small letter, and have letters, digits and underscores. */
export function assertVariableName(name: string): void {
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
    throw new PipelineError(`invalid name of a variable: ${name.slice(0, 64)}`);
  }
}

export const LOGIC: Operators = {
  $and: connective(false),
  $or: connective(true),
  $not: unary((value) => !isTrue(value)),
  $cmp: binary((a, b) => Math.sign(compareValues(a, b))),
  $eq: binary((a, b) => isSame(a, b)),
  $ne: binary((a, b) => !isSame(a, b)),
  $gt: binary((a, b) => compareValues(a, b) > 0),
  $gte: binary((a, b) => compareValues(a, b) >= 0),
  $lt: binary((a, b) => compareValues(a, b) < 0),
  $lte: binary((a, b) => compareValues(a, b) <= 0),
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOperator,
  $let: letOperator,
  $literal: (argument) => constant(toValue(argument)),
  $rand: () => () => Math.random(),
};
