/** A style sheet as a string, minified by the build. */
declare module "*.css?inline" {
  const css: string;
  export default css;
}
