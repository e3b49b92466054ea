import type { Compiler } from "./evaluation.ts";
import { createCompiler } from "./expressions.ts";
import { PipelineError } from "./pipelineError.ts";
import {
  parsePipeline,
  type ReadClass,
  type RunStage,
  runStages,
  type Stage,
  type StageContext,
} from "./stage.ts";
import { STAGES } from "./stages.ts";
import type { Document } from "./values.ts";

/** A compiled pipeline. */
export interface Pipeline {
  /** The classes that its stages read, besides that of the documents. */
  classes: readonly string[];
  run(documents: Iterable<Document>, readClass: ReadClass): Iterable<Document>;
}

/** Compiles stages. Throws for invalid ones, and for classes that pipelines may not read. */
export function compilePipeline(stages: readonly Stage[], now = new Date()): Pipeline {
  const classes = new Set<string>();
  const context: StageContext = {
    pipeline: (inner, compiler) => compileStages(parsePipeline(inner), compiler, context),
    readsClass(className) {
      if (className.startsWith("_") && className !== "_User" && className !== "_Role") {
        throw new PipelineError(`pipelines cannot read the class ${className.slice(0, 64)}`);
      }
      classes.add(className);
    },
  };
  const compiled = compileStages(stages, createCompiler(now), context);
  return {
    classes: [...classes],
    run: (documents, readClass) => runStages(compiled, documents, readClass),
  };
}

function compileStages(stages: readonly Stage[], compiler: Compiler, context: StageContext): RunStage[] {
  return stages.map(({ name, argument }) => {
    const compile = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    if (!compile) throw new PipelineError(`Invalid aggregate stage '${name.slice(0, 64)}'.`);
    return compile(argument, compiler, context);
  });
}
