import type { ClassRules } from "../../data/objects/classRules.ts";

/** The classes of watches and synced addresses, with their initial fields. */
export const CHAIN_EVENT_CLASSES = {
  _AddressSyncStatus: {
    className: "_AddressSyncStatus",
    fields: {
      address: { type: "String" },
      chain: { type: "String" },
      tables: { type: "String" },
      sync_historical: { type: "Boolean" },
      is_syncing: { type: "Boolean" },
      user: { type: "Pointer", targetClass: "_User" },
    },
    indexes: { address: { address: 1 } },
  },
  _ChainWatch: {
    className: "_ChainWatch",
    fields: {
      chainId: { type: "String" },
      address: { type: "String" },
      topic: { type: "String" },
      abi: { type: "Array" },
      tableName: { type: "String" },
      filter: { type: "Object" },
      sync_historical: { type: "Boolean" },
      confirmations: { type: "Number" },
      webhook: { type: "String" },
      description: { type: "String" },
    },
  },
  _ChainMessage: {
    className: "_ChainMessage",
    fields: {
      source: { type: "String" },
      sequence: { type: "Number" },
      url: { type: "String" },
      body: { type: "Object" },
      status: { type: "String" },
      attempts: { type: "Number" },
      nextAt: { type: "Date" },
      deliveredAt: { type: "Date" },
      answer: { type: "Number" },
      error: { type: "String" },
    },
    indexes: { waiting: { status: 1, source: 1, sequence: 1 } },
  },
} as const satisfies Record<string, ClassRules>;
