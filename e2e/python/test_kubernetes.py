"""The Kubernetes manifests, by the schemas of Kubernetes and by the names that connect them."""

import unittest
from pathlib import Path

import kubernetes_validate
import yaml

FOLDER = Path(__file__).parents[2] / "packaging/kubernetes"
VERSION = "1.34"


def documents(name):
    return list(yaml.safe_load_all((FOLDER / name).read_text()))


class Kubernetes(unittest.TestCase):
    def setUp(self):
        [self.kustomization] = documents("kustomization.yaml")
        resources = [document for name in self.kustomization["resources"] for document in documents(name)]
        self.resources = {document["kind"]: document for document in resources}

    def test_every_manifest_is_listed_and_valid(self):
        files = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
        self.assertEqual(files, set(self.kustomization["resources"]))
        self.assertEqual(
            set(self.resources),
            {"Namespace", "Deployment", "PodDisruptionBudget", "Service", "Ingress"},
        )
        for resource in self.resources.values():
            kubernetes_validate.validate(resource, VERSION, strict=True)

    def test_unknown_field_is_refused(self):
        self.resources["Deployment"]["spec"]["replica"] = 2
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(self.resources["Deployment"], VERSION, strict=True)

    def test_names_connect_the_manifests(self):
        spec = self.resources["Deployment"]["spec"]
        labels = spec["template"]["metadata"]["labels"]
        self.assertEqual(labels, spec["selector"]["matchLabels"])
        self.assertEqual(labels, self.resources["Service"]["spec"]["selector"])
        self.assertEqual(labels, self.resources["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"])
        [container] = spec["template"]["spec"]["containers"]
        [port] = container["ports"]
        [service_port] = self.resources["Service"]["spec"]["ports"]
        self.assertEqual(port["name"], service_port["targetPort"])
        [rule] = self.resources["Ingress"]["spec"]["rules"]
        [path] = rule["http"]["paths"]
        service = path["backend"]["service"]
        self.assertEqual(service, {"name": "portaria", "port": {"name": service_port["name"]}})
        self.assertEqual(self.resources["Service"]["metadata"]["name"], service["name"])
        generated = [
            self.kustomization["configMapGenerator"][0]["name"],
            self.kustomization["secretGenerator"][0]["name"],
        ]
        used = [container["envFrom"][0]["configMapRef"]["name"], container["envFrom"][1]["secretRef"]["name"]]
        self.assertEqual(used, generated)
        volumes = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
        self.assertEqual(volumes, {mount["name"] for mount in container["volumeMounts"]})

    def test_data_folder_is_below_its_volume(self):
        [container] = self.resources["Deployment"]["spec"]["template"]["spec"]["containers"]
        [folder] = [Path(entry["value"]) for entry in container["env"] if entry["name"] == "PORTARIA_DATA_DIR"]
        mounts = [Path(mount["mountPath"]) for mount in container["volumeMounts"]]
        # Kubernetes lets a group read the folder of a volume, and the program refuses such a data folder.
        self.assertNotIn(folder, mounts)
        self.assertTrue(any(folder.is_relative_to(mount) for mount in mounts))

    def test_the_program_has_no_privileges(self):
        pod = self.resources["Deployment"]["spec"]["template"]["spec"]
        [container] = pod["containers"]
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertFalse(pod["automountServiceAccountToken"])
        self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
        self.assertFalse(container["securityContext"]["allowPrivilegeEscalation"])


if __name__ == "__main__":
    unittest.main()
