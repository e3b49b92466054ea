import { PasskeyRecords } from "../auth/passkeys/passkeyRecords.ts";
import type { StudioClasses } from "../data/schema/studioClasses.ts";
import type { Store } from "../database/store.ts";

const CREDENTIAL_SCOPE = "_Studio.passkey";

export interface OperatorPasskeyRecordDependencies {
  store: Store;
  classes: StudioClasses;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** The stored passkeys of operators. */
export function operatorPasskeyRecords(dependencies: OperatorPasskeyRecordDependencies): PasskeyRecords {
  const { store, classes, clock } = dependencies;
  return new PasskeyRecords({ store, schema: () => classes._StudioPasskey, scope: CREDENTIAL_SCOPE, clock });
}
