/** As much of a logger as the business uses. Never card data, never a secret. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
