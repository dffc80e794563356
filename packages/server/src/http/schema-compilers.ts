/**
 * Compiles the routes' schemas into validators and serializers, each once per process. Tests open many services in one
 * process, and most of their start was compiling.
 */
import AjvCompiler from "@fastify/ajv-compiler";
import SerializerSelector, { type SerializerFactory } from "@fastify/fast-json-stringify-compiler";

const buildOneSerializer = SerializerSelector();
type Serializer = ReturnType<ReturnType<SerializerFactory>>;

/** By the schemas that others can refer to, and then by the schema. */
const serializers = new Map<string, Map<string, Serializer>>();

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildOneSerializer(externalSchemas, options);
  const externals = JSON.stringify([externalSchemas, options]);
  const known = serializers.get(externals) ?? new Map<string, Serializer>();
  serializers.set(externals, known);
  return (route) => {
    const schema = JSON.stringify(route.schema);
    const serializer = known.get(schema) ?? compile(route);
    known.set(schema, serializer);
    return serializer;
  };
};

export const compilersFactory = { buildValidator: AjvCompiler(), buildSerializer };
