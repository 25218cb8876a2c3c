// Rules for the JavaScript of the pages of the lab and of the service. The TypeScript compiler checks names and types (jsconfig.json).

const MARKUP = "Set text with textContent or base/dom.js: HTML made from data could run as a script.";

export default [
  {
    files: ["src/rosenblatt/lab/page/**/*.js", "src/rosenblatt/service/page/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "complexity": ["error", 16],
      "consistent-return": "error",
      "curly": "error",
      "eqeqeq": "error",
      "max-depth": ["error", 4],
      "max-len": ["error", { code: 140, ignoreTemplateLiterals: true, ignoreStrings: true, ignoreRegExpLiterals: true }],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 50],
      "no-alert": "error",
      "no-console": "error",
      "no-dupe-keys": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-param-reassign": "error",
      "no-script-url": "error",
      "no-self-assign": "error",
      "no-shadow": "error",
      "no-throw-literal": "error",
      "no-unreachable": "error",
      "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: MARKUP },
        { property: "outerHTML", message: MARKUP },
        { property: "insertAdjacentHTML", message: MARKUP },
        { object: "document", property: "write", message: MARKUP },
      ],
    },
  },
];
