export { CreateError } from "./createError.ts";
export { createProject, type ProjectOptions } from "./createProject.ts";
export { STARTERS, type Starter } from "./starters.ts";
