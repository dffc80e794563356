/** The bundler handles style imports. */
declare module "*.css";
