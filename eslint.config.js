import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'proto', 'policies/engine/wasm_exec.js'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      'no-duplicate-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-control-regex': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Use named exports.' },
        {
          selector:
            'VariableDeclarator:not([id.typeAnnotation]) > ArrowFunctionExpression[body.type="BlockStatement"]:not(:has(ThisExpression))',
          message: 'Declare a function that has a body: function name(…) { … }.',
        },
        {
          selector: 'VariableDeclarator > FunctionExpression',
          message: 'Declare a function: function name(…) { … }.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read the environment in src/config or cli only and pass values on.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'cli/**/*.ts'],
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { name: 'node:http', allowTypeImports: true, message: 'Import src/node-http.ts: it loads less.' },
      ],
    },
  },
  { files: ['*.config.ts', '*.config.js', 'knip.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // Calls are put into the frame of their language before they are run: see test/support/clients/calls.ts.
    files: ['test/clients/scripts/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'Request',
          'TextDecoder',
          'URL',
          'calls',
          'chatCalls',
          'collect',
          'BASE_URL',
          'API_KEY',
          'HEADERS',
          'PROVIDER_KEY',
          'HELLO',
          'TOOLS',
          'WEATHER',
        ].map((name) => [name, 'writable']),
      ),
    },
    rules: { '@typescript-eslint/no-unused-vars': 'off', 'no-redeclare': 'off' },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
