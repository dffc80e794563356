/** Declares style imports, which the bundler handles. */
declare module "*.css";
