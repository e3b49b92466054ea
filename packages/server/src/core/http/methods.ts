import { METHODS as ALL_METHODS } from "node:http";

/** All methods that Node.js accepts, but for that of forward proxies. */
export const METHODS = ALL_METHODS.filter((method) => method !== "CONNECT");

/** The methods of browsers. Requests with other methods are answered with 404 unless an API handles them. */
export const BROWSER_METHODS: string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
