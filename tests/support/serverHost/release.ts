import { afterAll } from "vitest";
import { releaseHost } from "./client.ts";

/** The servers of a test file end with it, also where its process goes on with another file. */
afterAll(releaseHost);
