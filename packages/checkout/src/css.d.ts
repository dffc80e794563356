/** A style sheet as text, minified by the build. */
declare module "*.css?inline" {
  const css: string;
  export default css;
}
