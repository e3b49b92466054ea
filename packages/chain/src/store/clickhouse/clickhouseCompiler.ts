import { DefaultQueryCompiler } from "kysely";
import { toHex } from "../../model/hexBytes.ts";

/** Compiles queries for ClickHouse: parameters are named `p0`, `p1`, … and have types. */
export class ClickHouseCompiler extends DefaultQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === null) {
      this.append("NULL");
      return;
    }
    const name = `p${this.numParameters}`;
    if (value instanceof Uint8Array) {
      this.addParameter(toHex(value).slice(2));
      this.append(`unhex({${name}:String})`);
    } else {
      this.addParameter(value);
      this.append(typeof value === "number" ? `{${name}:Int64}` : `{${name}:String}`);
    }
  }
}
