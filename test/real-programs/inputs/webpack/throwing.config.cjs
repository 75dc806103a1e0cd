module.exports = () => { const options = { entry: undefined }; throw new Error("the configuration of webpack failed: " + Object.keys(options)); };
