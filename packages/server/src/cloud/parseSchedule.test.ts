import { describe, expect, it } from "vitest";
import { parseSchedule, type ScheduleOptions } from "./parseSchedule.ts";

describe("a schedule", () => {
  it("has no parameters and makes up for no missed runs by default", () => {
    expect(parseSchedule("clean", "0 3 * * *", {})).toEqual({
      jobName: "clean",
      cron: "0 3 * * *",
      params: {},
      catchUp: "skip",
      deadlineMs: undefined,
    });
  });

  it("has its parameters in wire format", () => {
    expect(parseSchedule("clean", "* * * * *", { params: { at: new Date(0) } }).params).toEqual({
      at: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" },
    });
  });

  it.each<[string, string, ScheduleOptions | { catchUp: string }, RegExp]>([
    ["a cron expression", "every day", {}, /"every day" is not a cron expression/],
    ["catchUp", "* * * * *", { catchUp: "all" }, /catchUp must be "once" or "skip"/],
    ["a time limit", "* * * * *", { deadlineMs: -1 }, /deadlineMs must be a number of milliseconds/],
    ["parameters", "* * * * *", { params: [1] }, /params must be an object/],
  ])("without a valid value of %s is refused, with the name of the job", (_, cron, options, message) => {
    const parse = () => Reflect.apply(parseSchedule, undefined, ["clean", cron, options]);
    expect(parse).toThrow(message);
    expect(parse).toThrow("The schedule of clean: ");
  });
});
