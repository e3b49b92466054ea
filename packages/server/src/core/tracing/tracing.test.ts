import { describe, expect, it } from "vitest";
import { exportsTraces } from "./openTracing.ts";
import { currentTracer, trace, traceFields, traceHeaders } from "./tracing.ts";

describe("exportsTraces()", () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_TRACES_EXPORTER: "none" }, false],
  ])("of %j is %s", (env, expected) => {
    expect(exportsTraces(env)).toBe(expected);
  });
});

describe("trace() without an exporter", () => {
  it("returns what the work returns and asks for no options", () => {
    expect(currentTracer()).toBeUndefined();
    const options = () => {
      throw new Error("not expected");
    };
    expect(trace("work", () => 5, options)).toBe(5);
  });

  it("adds nothing to log lines and requests", () => {
    expect(traceFields()).toEqual({});
    expect(traceHeaders()).toEqual({});
  });
});
